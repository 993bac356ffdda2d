// SPDX-License-Identifier: Apache-2.0
// The picture that models are shown: chosen, dropped or pasted, as the bytes of a file in base64.

// What is larger, in bytes, is drawn again this wide: models see some hundred pixels at most, and a server refuses
// bodies of a megabyte.
const kMostBytes = 400e3;
const kMostSide = 512;

function base64Of(bytes) {
  let letters = '';
  for (let i = 0; i < bytes.length; i += 0x8000) letters += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(letters);
}

// A PNG in base64, its longer side kMostSide pixels.
async function smaller(file) {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, kMostSide / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/png').replace(/^data:[^,]*,/, '');
}

// `changed()` asks for a new answer; `say(message)` shows an error.
export function createPicture({ area, input, name, say, changed }) {
  let bytes = '';

  async function take(file) {
    if (!file) return;
    try {
      bytes = file.size > kMostBytes ? await smaller(file) : base64Of(new Uint8Array(await file.arrayBuffer()));
    } catch {
      say(`“${file.name}” is no picture that this browser can read`);
      return;
    }
    name.textContent = file.name;
    changed();
  }

  const fileOf = (data) => [...(data?.files ?? [])][0];
  input.addEventListener('change', () => {
    take(input.files[0]);
    input.value = ''; // the same file may be chosen again, when it has changed
  });
  // Dropped anywhere on the page, or it would open the file instead.
  document.addEventListener('dragover', (event) => {
    if (area.hidden) return;
    event.preventDefault();
    area.classList.add('over');
  });
  document.addEventListener('dragleave', () => area.classList.remove('over'));
  document.addEventListener('drop', (event) => {
    if (area.hidden) return;
    event.preventDefault();
    area.classList.remove('over');
    take(fileOf(event.dataTransfer));
  });
  document.addEventListener('paste', (event) => {
    if (!area.hidden) take(fileOf(event.clipboardData));
  });
  return { bytes: () => bytes, show: (shown) => (area.hidden = !shown) };
}
