// SPDX-License-Identifier: Apache-2.0
// What the live page knows of a kind of model is in a module of its own, kind_NAME.js, which nothing else names:
//
//   route      the path of the API that answers for it
//   controls   names of the controls that it has, besides a second text where a model takes one
//   looksAt    'picture' for a kind that is shown a picture and asked nothing, 'both' for one that is asked about it;
//              left out: what is typed is all
//   placeholder   what to type
//   requestFor(text, settings, model) -> the request, but for its model and its attention; settings.picture is an image
//              file in base64
//   answerOf(answer, text) -> {given, text, notes, trace}
//   explained(text, answered, settings, model) -> the request to explain what was answered, as answerOf gave it, but for
//              its model and method; left out: nothing is explained

// What a kind needs before it can be asked.
export const needsPicture = ({ looksAt }) => looksAt !== undefined;
export const needsText = ({ looksAt }) => looksAt !== 'picture';

export const percent = (share) => `${(100 * share).toFixed(1)}%`;

// The models whose kind has a module, each with it as `kind`.
export async function withKinds(models) {
  const found = await Promise.all(
    models.map(async (model) => {
      try {
        return { ...model, kind: await import(`./kind_${model.task}.js`) };
      } catch {
        return null; // a kind that cannot be typed to, or of a newer server
      }
    }),
  );
  return found.filter((model) => model !== null);
}
