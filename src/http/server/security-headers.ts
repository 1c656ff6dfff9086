const policy = (styles: string) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    // Sound that a tool answers with.
    "media-src 'self' blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** On every answer, errors and files included. In small letters, as everybody writes them who has another one in their place. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy("'self'"),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/**
 * For the web app's page alone: the Markdown editor and the toasts add `<style>` elements while they run, and one of
 * them takes no nonce. Scripts stay as strict as everywhere.
 */
export const webAppPolicy = policy("'self' 'unsafe-inline'");
