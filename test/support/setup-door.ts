import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address where test files ask for what they share. */
    setupDoor: string;
  }
}

/** Returns what test files of a run share, made when the first of them asks. Throws with the reason if it cannot be made. */
export async function askSetup(what: 'sqlite' | 'postgres' | 'packed'): Promise<unknown> {
  const response = await fetch(`${inject('setupDoor')}/${what}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`"${what}" cannot be prepared: ${text}`);
  return JSON.parse(text);
}
