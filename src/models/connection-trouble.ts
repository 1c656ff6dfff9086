/** What a connection met on its way. */
export interface ConnectionTrouble {
  /** Why there is no answer: the code of the network, or how the stream ended. May pass. */
  lost?: string | undefined;
  /** Why there will never be one, after "failed: ". */
  hopeless?: string | undefined;
}

interface NetworkError {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown;
}

const lostCodes = /^(ECONN\w+|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|UND_ERR_\w+)$/;
const unknownAuthority =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/;

/** By the codes that are somewhere in the causes, of `fetch` as of Node's own client. */
export function troubleOf(error: unknown): ConnectionTrouble {
  let each = error;
  let lost: string | undefined;
  for (let depth = 0; depth < 8 && typeof each === 'object' && each !== null; depth += 1) {
    const { code, message, cause, errors }: NetworkError = each;
    const text = typeof message === 'string' ? message : '';
    if (typeof code === 'string') {
      if (lostCodes.test(code)) return { lost: code };
      const hopeless = hopelessBy(code, text);
      if (hopeless !== undefined) return { hopeless };
    }
    if (/^terminated$|stream ended without/.test(text)) lost = 'it ended too early';
    each = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return { lost };
}

function hopelessBy(code: string, message: string): string | undefined {
  if (unknownAuthority.test(code)) {
    return `its certificate is signed by nobody who is known here (${code}). If that is right, name the file of its authority in NODE_EXTRA_CA_CERTS.`;
  }
  if (/^(EPROTO|ERR_SSL_\w+)$/.test(code) && /wrong version number|packet length too long/.test(message)) {
    return 'its address does not speak HTTPS. Begin the base URL with http:// if that is meant.';
  }
  if (code === 'HPE_INVALID_CONSTANT') return `its address does not speak HTTP (${code}). Check the base URL.`;
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') {
    const name = /\["([^"]{1,100})"\]$/.exec(message)?.[1] ?? '';
    return `the header "${name}" cannot be sent: a character of it is not allowed there. Check the key and the headers that are set.`;
  }
  return undefined;
}
