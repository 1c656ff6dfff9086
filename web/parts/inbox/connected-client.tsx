import type { ConnectedClient as Client } from '../../../src/inbox/inbox.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';

/** What a client was offered when it connected. Without a `name`, the client's own. */
export function ConnectedClient({ client, name = client.name }: { client: Client; name?: string | undefined }) {
  return (
    <>
      <ForeignText text={name} /> connected, {client.tools === 1 ? '1 tool' : `${client.tools} tools`}
    </>
  );
}
