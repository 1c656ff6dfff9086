import type { LanguageModelV3Prompt, LanguageModelV4Prompt } from '@ai-sdk/provider';

/** For models of the specification before: files are plain base64 there, and have other names in tool results. */
export function toOlderPrompt(prompt: LanguageModelV4Prompt): LanguageModelV3Prompt {
  const messages = prompt.map((message) => {
    if (message.role === 'system') return message;
    return {
      ...message,
      content: message.content.map((part) => {
        if (part.type === 'file' && part.data.type === 'data') return { ...part, data: part.data.data };
        if (part.type !== 'tool-result' || part.output.type !== 'content') return part;
        return { ...part, output: { type: 'content', value: part.output.value.map(toOlderResult) } };
      }),
    };
  });
  // The rest of the two shapes is the same; `toPrompt` makes no other parts.
  return messages as LanguageModelV3Prompt;
}

function toOlderResult(part: { type: string; data?: { type: string; data?: unknown }; mediaType?: string }): object {
  if (part.type !== 'file') return part;
  const type = part.mediaType?.startsWith('image/') ? 'image-data' : 'file-data';
  return { type, data: part.data?.data, mediaType: part.mediaType };
}
