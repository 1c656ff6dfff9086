import { agentUri } from '../../agents/agent-resources.ts';
import { HubError } from '../../base/hub-error.ts';
import { documentUri } from '../../knowledge/knowledge-resources.ts';
import type { ResourceInfo, ResourceTemplateInfo } from '../../resources/resource.ts';
import type { Exchange, Peer } from '../protocol/exchange.ts';
import { invalidParams, RpcError, rpcCodes } from '../protocol/protocol.ts';
import type { McpView } from '../view.ts';
import { PagedList } from './paged-list.ts';

const maxSubscriptions = 1_000;

export async function listResources(view: McpView, exchange: Exchange): Promise<string> {
  await view.refresh();
  const found = await view.parts.resources.list();
  const items = [
    ...found.filter((each) => view.hasResource(each.uri)),
    ...scopedTemplates(view).filter(isFixed).map(toResource),
  ];
  // Providers may return a different list each time, so it is not cached.
  const page = new PagedList('resources').page(exchange.request.params, [items], {
    items: () => items,
    key: (each) => each.uri,
    toJson: (each) => each,
  });
  return view.complete(exchange.peer, page, true);
}

export async function listResourceTemplates(view: McpView, exchange: Exchange): Promise<string> {
  await view.refresh();
  const templates =
    view.agentId === undefined
      ? view.parts.resources.templates()
      : scopedTemplates(view).filter((each) => !isFixed(each));
  return view.complete(exchange.peer, JSON.stringify({ resourceTemplates: templates }), true);
}

export async function readResource(view: McpView, exchange: Exchange): Promise<string> {
  const uri = readUri(exchange);
  await view.refresh();
  if (!view.hasResource(uri)) throw notFound(uri, exchange.peer, `Unknown resource "${uri.slice(0, 200)}".`);
  try {
    const contents = await view.parts.resources.read(uri);
    return view.complete(exchange.peer, JSON.stringify({ contents }), true);
  } catch (error) {
    if (error instanceof HubError && (error.code === 'NOT_FOUND' || error.code === 'AGENT_NOT_FOUND'))
      throw notFound(uri, exchange.peer, error.message);
    throw error;
  }
}

export async function subscribe(view: McpView, exchange: Exchange): Promise<string> {
  const uri = readUri(exchange);
  const { subscriptions, store } = exchange.peer;
  await view.refresh();
  if (!view.hasResource(uri)) throw notFound(uri, exchange.peer, `Unknown resource "${uri.slice(0, 200)}".`);
  if (subscriptions.size >= maxSubscriptions)
    throw invalidParams(`You can subscribe to at most ${maxSubscriptions} resources.`);
  subscriptions.add(uri);
  await store?.({ subscribed: uri });
  return '{}';
}

export async function unsubscribe(_view: McpView, exchange: Exchange): Promise<string> {
  const uri = readUri(exchange);
  const { subscriptions, store } = exchange.peer;
  if (subscriptions.delete(uri)) await store?.({ unsubscribed: uri });
  return '{}';
}

/** Returns the agent templates with the view's agent id filled in, and the document template if the agent may read documents. */
export function scopedTemplates(view: McpView): ResourceTemplateInfo[] {
  const { agentId } = view;
  if (agentId === undefined) return [];
  const open = agentUri('{id}');
  const templates = view.parts.resources.templates();
  const documents = view.hasDocuments ? templates.filter((each) => each.uriTemplate === documentUri('{id}')) : [];
  if (agentId === null) return documents;
  const visible = templates
    .filter((each) => each.uriTemplate.startsWith(`${open}/`))
    .map((each) => ({ ...each, uriTemplate: agentUri(agentId) + each.uriTemplate.slice(open.length) }));
  return [...visible, ...documents];
}

function isFixed(template: ResourceTemplateInfo): boolean {
  return !template.uriTemplate.includes('{');
}

function toResource({ uriTemplate, ...rest }: ResourceTemplateInfo): ResourceInfo {
  return { uri: uriTemplate, ...rest };
}

function readUri(exchange: Exchange): string {
  const { uri } = exchange.request.params;
  if (typeof uri !== 'string' || uri.length > 10_000) throw invalidParams('"uri" must be a string.');
  return uri;
}

/** Uses the error code of the client's revision. */
function notFound(uri: string, peer: Peer, message: string): RpcError {
  const code = peer.era === 'stateless' ? rpcCodes.invalidParams : rpcCodes.resourceNotFound;
  return new RpcError(code, message, { data: { uri } });
}
