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

/** On every answer, errors and files included. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy("'self'"),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/**
 * For the web app's page alone: the Markdown editor and the toasts add `<style>` elements while they run, and one of
 * them takes no nonce. Scripts stay as strict as everywhere.
 */
export const webAppPolicy = policy("'self' 'unsafe-inline'");
