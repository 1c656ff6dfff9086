/** Marks sources and documents with text that others wrote. Agents must not follow instructions in it. */
const untrustedTag = 'untrusted';

interface TaggedDocument {
  source: string;
  tags: readonly string[];
}

/** Returns where the text of an untrusted document comes from, for people to read; undefined for other documents. */
export function outsideSourceOf({ source, tags }: TaggedDocument): string | undefined {
  return tags.includes(untrustedTag) ? `knowledge source ${source}` : undefined;
}
