// SPDX-License-Identifier: Apache-2.0
// Drawing by Cairo, text by Pango: unhinted, so that a picture has one layout at every scale.
#include "heed/insight/draw/canvas.h"

#include <cairo-svg.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "heed/base/error.h"
#include "heed/insight/draw/finished_svg.h"

namespace heed::insight {
namespace {

constexpr double kHatchStep = 6;        // between lines, along x
constexpr double kLargestSide = 32767;  // of an image of Cairo's
constexpr const char* kFamilies = "Noto Sans, DejaVu Sans, sans-serif";

template <auto free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    free(object);
  }
};
using SurfaceHandle = std::unique_ptr<cairo_surface_t, Freed<cairo_surface_destroy>>;
using CairoHandle = std::unique_ptr<cairo_t, Freed<cairo_destroy>>;
using LayoutHandle = std::unique_ptr<PangoLayout, Freed<g_object_unref>>;

// Fonts, found once per thread: a font map takes some 20 ms to fill. It is of our own, not Pango's
// default, which would never be given back.
class Fonts {
 public:
  Fonts() : map_(pango_cairo_font_map_new()), context_(pango_font_map_create_context(map_.get())) {
    PangoFontDescription* wanted = pango_font_description_from_string(kFamilies);
    PangoFont* found = pango_context_load_font(context_.get(), wanted);
    pango_font_description_free(wanted);
    if (found == nullptr) {
      throw UsageError(
          "picture: there is no font on this machine; install one, such as fonts-noto-core");
    }
    g_object_unref(found);
    cairo_font_options_t* options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context_.get(), options);
    cairo_font_options_destroy(options);
    pango_context_set_round_glyph_positions(context_.get(), FALSE);
  }
  PangoContext* context() const { return context_.get(); }

 private:
  std::unique_ptr<PangoFontMap, Freed<g_object_unref>> map_;
  std::unique_ptr<PangoContext, Freed<g_object_unref>> context_;
};

PangoContext* context() {
  thread_local const Fonts fonts;
  return fonts.context();
}

LayoutHandle layout_of(const std::string& text, const TextStyle& style) {
  LayoutHandle layout(pango_layout_new(context()));
  PangoFontDescription* font = pango_font_description_from_string(kFamilies);
  pango_font_description_set_absolute_size(font, style.size * PANGO_SCALE);
  if (style.bold) pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
  pango_layout_set_font_description(layout.get(), font);
  pango_font_description_free(font);
  pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
  pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
  if (style.room > 0) {
    int width = 0;
    pango_layout_get_size(layout.get(), &width, nullptr);
    const int room = static_cast<int>(style.room * PANGO_SCALE);
    if (width > room) {
      pango_layout_set_width(layout.get(), room);
      pango_layout_set_ellipsize(layout.get(), PANGO_ELLIPSIZE_END);
    }
  }
  return layout;
}

Size size_of(PangoLayout* layout) {
  PangoRectangle logical;
  pango_layout_get_extents(layout, nullptr, &logical);
  return {static_cast<double>(logical.width) / PANGO_SCALE,
          static_cast<double>(logical.height) / PANGO_SCALE};
}

cairo_status_t append(void* text, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

std::uint32_t packed(const Rgb& colour) {
  const auto part = [](double value) {
    return static_cast<std::uint32_t>(std::lround(255 * std::clamp(value, 0., 1.)));
  };
  return part(colour.red) << 16 | part(colour.green) << 8 | part(colour.blue);
}

void must_be_good(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw InternalError("picture: cairo says: {}", cairo_status_to_string(status));
}

}  // namespace

struct Canvas::Pen {
  cairo_t* cairo = nullptr;
  cairo_matrix_t base = {};  // the scale

  void colour(const Rgb& colour, double opacity = 1) const {
    cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, opacity);
  }
  // Widths are of the picture; where the origin was shifted to would be written with every line.
  void stroke(const StrokeStyle& style) const {
    cairo_save(cairo);
    cairo_set_matrix(cairo, &base);
    colour(style.colour, style.opacity);
    cairo_set_line_width(cairo, style.width);
    if (style.dash > 0) cairo_set_dash(cairo, &style.dash, 1, 0);
    cairo_stroke(cairo);
    cairo_restore(cairo);
  }
};

Canvas::Canvas(std::unique_ptr<Pen> pen) : pen_(std::move(pen)) {}
Canvas::~Canvas() = default;

void Canvas::shift(const Point& by) {
  cairo_translate(pen_->cairo, by.x, by.y);
}

void Canvas::fill(const Box& box, const Rgb& colour) {
  pen_->colour(colour);
  cairo_rectangle(pen_->cairo, box.x, box.y, box.width, box.height);
  cairo_fill(pen_->cairo);
}

void Canvas::fill_rounded(const Box& box, double radius, const Rgb& colour) {
  constexpr double kQuarter = std::numbers::pi / 2;
  const double left = box.x + radius, right = box.x + box.width - radius;
  const double top = box.y + radius, bottom = box.y + box.height - radius;
  cairo_t* cairo = pen_->cairo;
  pen_->colour(colour);
  cairo_new_sub_path(cairo);
  cairo_arc(cairo, right, top, radius, -kQuarter, 0);
  cairo_arc(cairo, right, bottom, radius, 0, kQuarter);
  cairo_arc(cairo, left, bottom, radius, kQuarter, 2 * kQuarter);
  cairo_arc(cairo, left, top, radius, 2 * kQuarter, 3 * kQuarter);
  cairo_close_path(cairo);
  cairo_fill(cairo);
}

void Canvas::outline(const Box& box, const StrokeStyle& style) {
  cairo_rectangle(pen_->cairo, box.x, box.y, box.width, box.height);
  pen_->stroke(style);
}

void Canvas::line(const Point& from, const Point& to, const StrokeStyle& style) {
  cairo_move_to(pen_->cairo, from.x, from.y);
  cairo_line_to(pen_->cairo, to.x, to.y);
  pen_->stroke(style);
}

void Canvas::curve(const Point& from, const Point& to, const StrokeStyle& style) {
  const double middle = (from.y + to.y) / 2;
  cairo_move_to(pen_->cairo, from.x, from.y);
  cairo_curve_to(pen_->cairo, from.x, middle, to.x, middle, to.x, to.y);
  pen_->stroke(style);
}

void Canvas::arch(const Point& from, const Point& to, double height, const StrokeStyle& style) {
  // Half-way along a cubic curve is at 3/4 of the height of its inner points.
  const double inner = from.y - height / .75;
  cairo_move_to(pen_->cairo, from.x, from.y);
  cairo_curve_to(pen_->cairo, from.x, inner, to.x, inner, to.x, to.y);
  pen_->stroke(style);
}

void Canvas::ellipse(const Point& centre, const Point& first, const Point& second,
                     const StrokeStyle& style) {
  // Four cubic curves; 4/3 tan(pi/8) of a radius is where the inner points of a quarter lie.
  const double inner = 4. / 3 * std::tan(std::numbers::pi / 8);
  const auto at = [&](double a, double b) {
    return Point{centre.x + a * first.x + b * second.x, centre.y + a * first.y + b * second.y};
  };
  const Point start = at(1, 0);
  cairo_move_to(pen_->cairo, start.x, start.y);
  double a = 1, b = 0;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const Point one = at(a - inner * b, b + inner * a), end = at(-b, a);
    const Point two = at(-b + inner * a, a + inner * b);
    cairo_curve_to(pen_->cairo, one.x, one.y, two.x, two.y, end.x, end.y);
    const double turned = -b;
    b = a;
    a = turned;
  }
  cairo_close_path(pen_->cairo);
  pen_->stroke(style);
}

void Canvas::within(const Box& box, const std::function<void()>& draw) {
  cairo_save(pen_->cairo);
  cairo_rectangle(pen_->cairo, box.x, box.y, box.width, box.height);
  cairo_clip(pen_->cairo);
  draw();
  cairo_restore(pen_->cairo);
}

void Canvas::arrowhead(const Point& at, double size, const StrokeStyle& style) {
  pen_->colour(style.colour, style.opacity);
  cairo_move_to(pen_->cairo, at.x, at.y);
  cairo_line_to(pen_->cairo, at.x - size / 2, at.y - size);
  cairo_line_to(pen_->cairo, at.x + size / 2, at.y - size);
  cairo_close_path(pen_->cairo);
  cairo_fill(pen_->cairo);
}

void Canvas::hatch(std::span<const Box> boxes, const Rgb& colour) {
  // Lines x + y = n * step, each cut to the box: one path, and no clipping.
  for (const Box& box : boxes) {
    const double right = box.x + box.width, bottom = box.y + box.height;
    for (double n = std::ceil((box.x + box.y) / kHatchStep); n * kHatchStep < right + bottom; ++n) {
      const double sum = n * kHatchStep;
      const double from = std::max(box.x, sum - bottom), to = std::min(right, sum - box.y);
      if (to <= from) continue;
      cairo_move_to(pen_->cairo, from, sum - from);
      cairo_line_to(pen_->cairo, to, sum - to);
    }
  }
  pen_->stroke({.colour = colour, .width = 1});
}

void Canvas::cells(const Box& box, std::int64_t columns, std::span<const Rgb> colours) {
  const auto rows = static_cast<std::int64_t>(colours.size()) / columns;
  const SurfaceHandle image(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(columns), static_cast<int>(rows)));
  must_be_good(cairo_surface_status(image.get()));
  cairo_surface_flush(image.get());
  unsigned char* data = cairo_image_surface_get_data(image.get());
  const int stride = cairo_image_surface_get_stride(image.get());
  for (std::int64_t row = 0; row < rows; ++row) {
    auto* line = reinterpret_cast<std::uint32_t*>(data + row * stride);
    for (std::int64_t column = 0; column < columns; ++column) {
      line[column] = packed(colours[static_cast<std::size_t>(row * columns + column)]);
    }
  }
  cairo_surface_mark_dirty(image.get());
  cairo_t* cairo = pen_->cairo;
  cairo_save(cairo);
  cairo_translate(cairo, box.x, box.y);
  cairo_scale(cairo, box.width / static_cast<double>(columns),
              box.height / static_cast<double>(rows));
  cairo_set_source_surface(cairo, image.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo);
  cairo_restore(cairo);
}

void Canvas::text(const Point& place, const std::string& text, const TextStyle& style) {
  const LayoutHandle layout = layout_of(text, style);
  const Size size = size_of(layout.get());
  const double before = style.align == Align::start    ? 0
                        : style.align == Align::middle ? size.width / 2
                                                       : size.width;
  cairo_t* cairo = pen_->cairo;
  cairo_save(cairo);
  pen_->colour(style.colour);
  cairo_translate(cairo, place.x, place.y);
  if (style.angle != 0) cairo_rotate(cairo, -style.angle * std::numbers::pi / 180);
  cairo_move_to(cairo, -before, -size.height / 2);
  pango_cairo_show_layout(cairo, layout.get());
  cairo_restore(cairo);
}

// A surface of Cairo's, and the canvas on it.
class Surface {
 public:
  Surface(SurfaceHandle surface, const Drawing& drawing, double scale)
      : surface_(std::move(surface)) {
    must_be_good(cairo_surface_status(surface_.get()));
    const CairoHandle cairo(cairo_create(surface_.get()));
    cairo_scale(cairo.get(), scale, scale);
    auto pen = std::make_unique<Canvas::Pen>();
    pen->cairo = cairo.get();
    cairo_get_matrix(cairo.get(), &pen->base);
    Canvas canvas(std::move(pen));
    canvas.pen_->colour(drawing.ground);
    cairo_paint(cairo.get());  // to the last pixel, of which a size may end inside
    drawing.draw(canvas);
    must_be_good(cairo_status(cairo.get()));
    cairo_surface_flush(surface_.get());
  }
  cairo_surface_t* get() const { return surface_.get(); }

 private:
  SurfaceHandle surface_;
};

namespace {

Surface image_of(const Drawing& drawing, double scale) {
  if (!(scale >= .1 && scale <= 16)) {
    throw UsageError("picture: {} pixels to a point; it takes from 0.1 to 16", scale);
  }
  const double width = std::ceil(drawing.size.width * scale);
  const double height = std::ceil(drawing.size.height * scale);
  if (width > kLargestSide || height > kLargestSide) {
    throw UsageError(
        "picture: {} x {} pixels; an image has {} a side at most: take a smaller scale, fewer "
        "tokens, or SVG",
        width, height, kLargestSide);
  }
  return Surface(SurfaceHandle(cairo_image_surface_create(
                     CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height))),
                 drawing, scale);
}

}  // namespace

Size text_size(const std::string& text, const TextStyle& style) {
  return size_of(layout_of(text, style).get());
}

int characters_without_font(const std::string& text) {
  return pango_layout_get_unknown_glyphs_count(layout_of(text, {}).get());
}

bool reads_from_right(std::span<const std::string> words) {
  std::size_t from_right = 0;
  for (const std::string& word : words) {
    from_right += pango_layout_get_direction(layout_of(word, {}).get(), 0) == PANGO_DIRECTION_RTL;
  }
  return 2 * from_right > words.size();
}

std::string svg_of(const Drawing& drawing) {
  std::string text;
  {
    SurfaceHandle surface(cairo_svg_surface_create_for_stream(append, &text, drawing.size.width,
                                                              drawing.size.height));
    cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
    const Surface drawn(std::move(surface), drawing, 1);
    cairo_surface_finish(drawn.get());
    must_be_good(cairo_surface_status(drawn.get()));
  }
  return finished_svg(text, drawing.title);
}

std::string png_of(const Drawing& drawing, double scale) {
  const Surface image = image_of(drawing, scale);
  std::string bytes;
  must_be_good(cairo_surface_write_to_png_stream(image.get(), append, &bytes));
  return bytes;
}

Pixels pixels_of(const Drawing& drawing, double scale) {
  const Surface image = image_of(drawing, scale);
  Pixels pixels{.width = cairo_image_surface_get_width(image.get()),
                .height = cairo_image_surface_get_height(image.get())};
  const unsigned char* data = cairo_image_surface_get_data(image.get());
  const int stride = cairo_image_surface_get_stride(image.get());
  for (std::int64_t y = 0; y < pixels.height; ++y) {
    const auto* line = reinterpret_cast<const std::uint32_t*>(data + y * stride);
    for (std::int64_t x = 0; x < pixels.width; ++x) {
      pixels.colours.push_back(line[x] & 0xFFFFFFU);
    }
  }
  return pixels;
}

}  // namespace heed::insight
