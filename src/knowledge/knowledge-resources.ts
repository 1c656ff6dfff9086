import type { ResourceProvider } from '../resources/resource.ts';
import { partOf } from './document-part.ts';
import type { Knowledge } from './knowledge.ts';

const root = 'agent-zoo://documents';
const template = `${root}/{id}`;
/** Clients show the list to users. The search finds the other documents, and the template reads them. */
const maxListed = 500;
/** More than the tool returns, because a user chose the document, but not more than a client can hold. */
const maxResourceBytes = 1_048_576;

export const documentsUri = root;
export const documentUri = (id: string) => `${root}/${id}`;

/** Provides the documents of the knowledge base as MCP resources. */
export function knowledgeResources(knowledge: Pick<Knowledge, 'documents' | 'get' | 'sources'>): ResourceProvider {
  return {
    async list() {
      const { documents } = await knowledge.documents({ limit: maxListed });
      const each = documents.map((document) => ({
        uri: documentUri(document.id),
        name: document.sourceId,
        title: document.title,
        description: `${document.source} ${document.sourceId}`,
        mimeType: textType(document.contentType),
      }));
      return [
        {
          uri: root,
          name: 'documents',
          title: 'Knowledge base',
          description: 'The sources of its documents, with counts and the last sync.',
          mimeType: 'application/json',
        },
        ...each,
      ];
    },
    templates: () => [
      {
        uriTemplate: template,
        name: 'document',
        title: 'Document',
        description: 'The text of one document in the knowledge base. The search tool returns its id.',
      },
    ],
    async read(uri) {
      if (uri === root) {
        const text = JSON.stringify({ sources: await knowledge.sources() });
        return [{ uri, mimeType: 'application/json', text }];
      }
      const id = /^agent-zoo:\/\/documents\/([A-Za-z0-9_-]{1,100})$/.exec(uri)?.[1];
      if (id === undefined) return undefined;
      const document = await knowledge.get(id);
      const { body, next } = await partOf(document, { max_bytes: maxResourceBytes }, async () => []);
      const rest = next === null ? '' : `\n[Cut here. Read on with the tool get: ${JSON.stringify(next)}]\n`;
      return [{ uri, mimeType: textType(document.contentType), text: body + rest }];
    },
    async complete(uriTemplate, variable, typed) {
      if (uriTemplate !== template || variable !== 'id') return [];
      const { documents } = await knowledge.documents({ limit: maxListed });
      return documents.map((document) => document.id).filter((id) => id.startsWith(typed));
    },
  };
}

/** Returns a text type, because only text is stored, whatever the file was. */
function textType(contentType: string): string {
  return contentType.startsWith('text/') ? contentType : 'text/plain';
}
