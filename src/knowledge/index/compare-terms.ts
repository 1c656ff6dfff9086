/**
 * The order of terms as UTF-8 bytes, which is that of code points. It differs from JavaScript's own order only where
 * halves of surrogate pairs meet characters above them.
 */
export function compareTerms(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

function rank(code: number): number {
  return code >= 0xd800 && code < 0xe000 ? code + 0x10000 : code;
}
