import type { JsonObject } from '../../base/json.ts';
import type { ViewChanges } from '../change-feed.ts';
import type { Peer } from '../protocol/exchange.ts';
import {
  invalidParams,
  isObject,
  metaKeys,
  notificationText,
  type RpcRequest,
  resultText,
} from '../protocol/protocol.ts';
import type { McpView } from '../view.ts';

/** The changes that one `subscriptions/listen` request subscribes to. */
export interface Listening {
  request: RpcRequest;
  tools: boolean;
  prompts: boolean;
  resources: boolean;
  uris: ReadonlySet<string>;
}

const maxUris = 1_000;

/** Throws -32602. */
export function readListening(request: RpcRequest): Listening {
  const { notifications } = request.params;
  if (!isObject(notifications)) throw invalidParams('"notifications" must be an object.');
  const uris = notifications.resourceSubscriptions ?? [];
  if (!Array.isArray(uris) || uris.length > maxUris || !uris.every((uri) => typeof uri === 'string'))
    throw invalidParams(`"notifications.resourceSubscriptions" must be a list of at most ${maxUris} URIs.`);
  return {
    request,
    tools: notifications.toolsListChanged === true,
    prompts: notifications.promptsListChanged === true,
    resources: notifications.resourcesListChanged === true,
    uris: new Set(uris),
  };
}

/** The first message of a subscription, which confirms its contents. */
export function acknowledgement(listening: Listening): string {
  const { tools, prompts, resources, uris, request } = listening;
  return notificationText('notifications/subscriptions/acknowledged', {
    notifications: {
      ...(tools && { toolsListChanged: true }),
      ...(prompts && { promptsListChanged: true }),
      ...(resources && { resourcesListChanged: true }),
      ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
    },
    _meta: { [metaKeys.subscriptionId]: request.id },
  });
}

/** The result that ends a subscription from the server's side. */
export function closingResult(view: McpView, listening: Listening): string {
  const { id } = listening.request;
  const meta = `"_meta":{"${metaKeys.subscriptionId}":${JSON.stringify(id)},"${metaKeys.serverInfo}":${view.serverInfo}}`;
  return resultText(id, `{"resultType":"complete",${meta}}`);
}

export function changesForListener(listening: Listening, changes: ViewChanges): string[] {
  return changeTexts(changes, listening, { _meta: { [metaKeys.subscriptionId]: listening.request.id } });
}

/** The notifications for revisions with sessions: all list changes, and changes of subscribed resources. */
export function changesForSession(peer: Peer, changes: ViewChanges): string[] {
  return changeTexts(changes, { tools: true, prompts: true, resources: true, uris: peer.subscriptions });
}

/** What to tell a client that may have missed anything. */
export function everyChange({ hasOnlyTools }: McpView, { subscriptions }: Peer): ViewChanges {
  return { tools: true, prompts: !hasOnlyTools, resources: !hasOnlyTools, uris: subscriptions };
}

function changeTexts(changes: ViewChanges, wanted: Omit<Listening, 'request'>, params?: JsonObject): string[] {
  const texts: string[] = [];
  for (const list of ['tools', 'prompts', 'resources'] as const) {
    if (changes[list] && wanted[list]) texts.push(notificationText(`notifications/${list}/list_changed`, params));
  }
  for (const uri of changedAmong(wanted.uris, changes.uris)) {
    texts.push(notificationText('notifications/resources/updated', { ...params, uri }));
  }
  return texts;
}

/** A changed address that ends with / includes all addresses below it. */
function changedAmong(wanted: ReadonlySet<string>, changed: ReadonlySet<string>): string[] {
  if (wanted.size === 0) return [];
  const folders = [...changed].filter((uri) => uri.endsWith('/'));
  return [...wanted].filter((uri) => changed.has(uri) || folders.some((folder) => uri.startsWith(folder)));
}
