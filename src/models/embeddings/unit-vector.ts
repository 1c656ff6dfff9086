/** A copy of length one; undefined when one of the values is no finite number. All zeros stay what they are. */
export function unitVector(values: ArrayLike<unknown>): Float32Array | undefined {
  const vector = new Float32Array(values.length);
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value !== 'number') return undefined;
    vector[index] = value;
    sum += value * value;
  }
  if (!Number.isFinite(sum)) return undefined;
  const length = Math.sqrt(sum);
  if (length === 0) return vector;
  for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}
