/** Uses native byte order: all platforms with these databases are little-endian. */
export function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function toVector(data: Uint8Array): Float32Array {
  // Copies bytes that are not aligned to four, as in a shared buffer.
  const bytes = data.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? data : Uint8Array.from(data);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
}
