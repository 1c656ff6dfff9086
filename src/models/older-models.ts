import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

export type AnyLanguageModel = LanguageModelV4 | LanguageModelV3 | LanguageModelV2;
/** A part of a stream; only `finish` differs between the versions. */
export type AnyStreamPart = LanguageModelV4StreamPart | LanguageModelV2StreamPart;

/** Starts a stream with a model of any version: v4, v3 (AI SDK 6) or v2 (AI SDK 5). */
export function doStream(
  model: AnyLanguageModel,
  options: LanguageModelV4CallOptions,
): PromiseLike<{ stream: ReadableStream<AnyStreamPart> }> {
  if (model.specificationVersion === 'v4') return model.doStream(options);
  const { prompt, reasoning: _, tools, ...rest } = options;
  if (model.specificationVersion === 'v3') {
    // The stream has a subset of the kinds of parts.
    return model.doStream({
      ...rest,
      ...(tools && { tools }),
      prompt: toOlderPrompt(prompt, toV3Result),
    } as LanguageModelV3CallOptions) as PromiseLike<{
      stream: ReadableStream<AnyStreamPart>;
    }>;
  }
  // `strict` came later.
  const plain = tools?.map((tool) => (tool.type === 'function' ? { ...tool, strict: undefined } : tool));
  const older = { ...rest, ...(plain && { tools: plain }), prompt: toOlderPrompt(prompt, toV2Result) };
  // The rest of the two shapes is the same, and `toCallOptions` creates nothing else.
  return model.doStream(older as LanguageModelV2CallOptions);
}

type FileResult = { data: unknown; mediaType: string };

/** Converts a prompt: in older versions, files are plain base64 or a URL, and have other names in tool results. */
function toOlderPrompt(prompt: LanguageModelV4Prompt, toResult: (file: FileResult) => object): object[] {
  return prompt.map((message) => {
    if (message.role === 'system') return message;
    return {
      ...message,
      content: message.content.map((part) => {
        if (part.type === 'file') return { ...part, data: plainData(part.data) };
        if (part.type !== 'tool-result' || part.output.type !== 'content') return part;
        const value = part.output.value.map((each) =>
          each.type === 'file' ? toResult({ data: plainData(each.data), mediaType: each.mediaType }) : each,
        );
        return { ...part, output: { type: 'content', value } };
      }),
    };
  });
}

function plainData(data: object): unknown {
  if ('data' in data) return data.data;
  return 'url' in data ? data.url : data;
}

function toV3Result({ data, mediaType }: FileResult): object {
  return { type: mediaType.startsWith('image/') ? 'image-data' : 'file-data', data, mediaType };
}

function toV2Result({ data, mediaType }: FileResult): object {
  return { type: 'media', data, mediaType };
}
