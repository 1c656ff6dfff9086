/** A number below 2^52 for a document, from its source and its name there: the same in every index. */
export function documentOrder(source: string, sourceId: string): number {
  const name = `${source}\n${sourceId}`;
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 15;
  }
  return (high >>> 0) * 2 ** 20 + (low >>> 12);
}
