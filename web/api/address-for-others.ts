/**
 * Returns the address at which other programs reach the hub: its public address. A hub on loopback has none, and the browser may use a
 * tunnel, so what the browser uses is the best guess.
 */
export function addressForOthers(hubUrl: string | undefined, origin: string): string {
  if (hubUrl === undefined || isLoopback(new URL(hubUrl).hostname)) return origin;
  return hubUrl;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
