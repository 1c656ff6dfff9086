/** The id to answer a JSON-RPC request by: null where it has none that can be one. Apart from the server, whose library loads late. */
export function requestId(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
