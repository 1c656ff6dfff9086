import { toHubError } from '../base/hub-error.ts';
import type { ExternalServers } from './external-servers.ts';

interface Callback {
  state?: string | undefined;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
  error_description?: string | undefined;
}

/** Returns the page for the browser tab that returns from signing in. Everything in the URL is untrusted. */
export async function signInPage(
  servers: ExternalServers,
  { state, code, iss, error, error_description }: Callback,
): Promise<{ status: 200 | 400; html: string }> {
  if (error !== undefined) return page(400, 'Sign-in was refused', error_description ?? error);
  if (state === undefined || code === undefined) {
    return page(400, 'Sign-in failed', 'The address has no "state" or no "code". Start again on the Servers screen.');
  }
  try {
    const { name } = await servers.finishSignIn({ state, code, issuer: iss });
    return page(200, 'Signed in', `Agent Zoo may now use "${name}". You can close this tab.`);
  } catch (thrown) {
    return page(400, 'Sign-in failed', toHubError(thrown).message);
  }
}

function page(status: 200 | 400, title: string, text: string): { status: 200 | 400; html: string } {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)} · Agent Zoo</title>
<link rel="stylesheet" href="/docs/docs.css">
<main>
<h1>${escapeText(title)}</h1>
<p>${escapeText(text)}</p>
<p><a href="/servers">Back to Servers</a></p>
</main>
</html>
`;
  return { status, html };
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
