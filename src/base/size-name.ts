/** Returns "950 bytes", "12 KB" or "2.5 MB". A kilobyte has 1,024 bytes, as in the limits of the hub. */
export function sizeName(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1).replace('.0', '')} MB`;
}
