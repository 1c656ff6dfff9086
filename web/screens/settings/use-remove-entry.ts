import type { PeerBody, WebhookBody } from '../../../src/settings/app-settings.ts';
import { useApplySettings } from '../../api/settings-queries.ts';
import { deleteLater } from '../../parts/undo/delete-later.ts';

/** Removes a webhook or a peer that is stored in the hub, when the notice closes. */
export function useRemoveEntry(): (kind: 'webhook' | 'peer', entry: WebhookBody | PeerBody) => void {
  const apply = useApplySettings();
  return (kind, { name, version: seen }) =>
    deleteLater({
      keys: [`${kind}/${name}`],
      message: `Removed the ${kind} “${name}”`,
      description: 'It is in use until this notice closes. Its secrets are then deleted.',
      isUrgent: true,
      carryOut: () =>
        apply.mutateAsync({
          change: kind === 'webhook' ? { kind, name, webhook: null, seen } : { kind, name, peer: null, seen },
          hash: null,
        }),
      failure: `The ${kind} “${name}” could not be removed`,
    });
}
