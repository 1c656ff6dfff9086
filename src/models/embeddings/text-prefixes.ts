/**
 * Some models were trained with a few words before each text that say whether it asks or answers, and find less
 * without them. By the beginning of the model's name, without the part before a slash.
 */
const prefixes: readonly { model: RegExp; query: string; document: string }[] = [
  { model: /^nomic-embed-text/, query: 'search_query: ', document: 'search_document: ' },
  { model: /^(multilingual-)?e5-/, query: 'query: ', document: 'passage: ' },
  { model: /^snowflake-arctic-embed2/, query: 'query: ', document: '' },
  {
    model: /^(mxbai-embed-large|snowflake-arctic-embed|bge-(small|base|large)-en)/,
    query: 'Represent this sentence for searching relevant passages: ',
    document: '',
  },
];

export function textPrefix(model: string, purpose: 'query' | 'document'): string {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return prefixes.find((each) => each.model.test(name))?.[purpose] ?? '';
}
