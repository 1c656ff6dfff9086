/** Clients pass the descriptions of all their tools to the model, with every request. */
const maxDescriptionBytes = 16 * 1024;

/** Returns what is wrong with a tool's description; undefined if it can be used. */
export function descriptionFault(description: string): string | undefined {
  // A character has at most three bytes.
  if (description.length * 3 <= maxDescriptionBytes) return undefined;
  const bytes = new TextEncoder().encode(description).length;
  if (bytes <= maxDescriptionBytes) return undefined;
  return `Its description has ${bytes.toLocaleString('en')} bytes; at most ${maxDescriptionBytes.toLocaleString('en')} are accepted.`;
}
