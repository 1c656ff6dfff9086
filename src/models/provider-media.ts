/** What a provider takes besides text. */
export interface ProviderMedia {
  inMessages(mediaType: string): boolean;
  inToolResults(mediaType: string): boolean;
  /** Whether its API has a mark for a tool result that is an error. */
  marksErrors: boolean;
}

const pictures = /^image\/(png|jpe?g|gif|webp)$/;
const picturesAndPdf = /^(image\/(png|jpe?g|gif|webp)|application\/pdf)$/;
const chat = /^(image\/(png|jpe?g|gif|webp)|audio\/(wav|mp3|mpeg)|application\/pdf)$/;
const gemini = /^(image\/(png|jpe?g|gif|webp|heic|heif)|audio\/|video\/|application\/pdf$)/;
const nothing = /^\b$/;

/**
 * By the name that a provider package gives its models (`anthropic.messages`, `openai.responses`). What is not taken
 * is told to the model in words, because a request with it would be refused as a whole.
 */
export function mediaOf(provider: string): ProviderMedia {
  if (/anthropic/.test(provider)) return media(picturesAndPdf, picturesAndPdf, true);
  if (/google|vertex/.test(provider)) return media(gemini, gemini, true);
  if (/\.responses$/.test(provider)) return media(picturesAndPdf, pictures, true);
  if (/^openai\.chat$/.test(provider)) return media(chat, nothing, true);
  return media(chat, nothing, false);
}

function media(messages: RegExp, toolResults: RegExp, marksErrors: boolean): ProviderMedia {
  return {
    inMessages: (mediaType) => messages.test(mediaType.toLowerCase()),
    inToolResults: (mediaType) => toolResults.test(mediaType.toLowerCase()),
    marksErrors,
  };
}
