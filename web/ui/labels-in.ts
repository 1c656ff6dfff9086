/** Reads items, such as labels, that are separated by commas or line breaks, each once. */
export function labelsIn(text: string): string[] {
  const labels = text.split(/[\n,]/).map((label) => label.trim());
  return [...new Set(labels.filter((label) => label !== ''))];
}
