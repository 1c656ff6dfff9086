import type { JsonSchema } from '../base/json-schema/json-schema.ts';
import type { OpenApiDocument, Operation } from './open-api.ts';

/** Renders the OpenAPI document as one HTML page without scripts and external files. */
export function docsPage(document: OpenApiDocument, url: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    anchor: name.toLowerCase().replace(/[^a-z]+/g, '-'),
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const schemas = Object.entries(document.components.schemas);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Agent Zoo HTTP API</title>
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<header>
<h1>Agent Zoo HTTP API</h1>
<p>Version ${toHtml(document.info.version)}. ${toHtml(document.info.description)} <a href="/openapi.json">OpenAPI document</a> · <a href="/">Web app</a></p>
<nav aria-label="Groups">${groups.map((group) => `<a href="#${group.anchor}">${toHtml(group.name)}</a>`).join('')}<a href="#schemas">Schemas</a></nav>
</header>
<main>
${groups.map((group) => `<section id="${group.anchor}"><h2>${toHtml(group.name)}</h2>\n${group.operations.map((each) => showOperation(each, url)).join('\n')}</section>`).join('\n')}
<section id="schemas"><h2>Schemas</h2>
${schemas.map(([name, schema]) => `<details><summary><code>${toHtml(name)}</code></summary><div id="schema-${toHtml(name)}">${showJson(schema)}</div></details>`).join('\n')}
</section>
</main>
</body>
</html>
`;
}

interface Shown {
  method: string;
  path: string;
  operation: Operation;
}

function showOperation({ method, path, operation }: Shown, url: string): string {
  const body = operation.requestBody?.content['application/json'];
  const parts = [
    operation.description && `<p>${toHtml(operation.description).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`,
    operation.parameters && `<h4>Parameters</h4>${showParameters(operation.parameters)}`,
    body && `<h4>Body${operation.requestBody?.required ? '' : ' (optional)'}</h4>${showSchema(body.schema)}`,
    `<h4>Responses</h4>${showResponses(operation)}`,
    `<h4>Example</h4><pre tabindex="0"><code>${toHtml(curl({ method, path, operation }, url))}</code></pre>`,
  ];
  return `<details class="operation" id="${toHtml(operation.operationId)}">
<summary><span class="method ${method}">${method.toUpperCase()}</span> <code>${toHtml(path)}</code> <span class="summary">${toHtml(operation.summary)}</span></summary>
<div class="body">${parts.filter(Boolean).join('\n')}</div>
</details>`;
}

function showParameters(parameters: NonNullable<Operation['parameters']>): string {
  const rows = parameters.map(
    (each) =>
      `<tr><th scope="row"><code>${toHtml(each.name)}</code></th><td>${each.in}${each.required ? ', required' : ''}</td><td>${toHtml(each.description ?? '')} ${toHtml(describeType(each.schema))}</td></tr>`,
  );
  return `<table><tbody>${rows.join('')}</tbody></table>`;
}

function describeType(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return `One of ${schema.enum.join(', ')}.`;
  return schema.type === undefined || schema.type === 'string' ? '' : `(${String(schema.type)})`;
}

function showResponses(operation: Operation): string {
  const rows = Object.entries(operation.responses).map(([status, response]) => {
    const schema = response.content?.['application/json']?.schema;
    return `<tr><th scope="row">${status}</th><td>${toHtml(response.description)}</td><td>${schema ? showSchema(schema) : ''}</td></tr>`;
  });
  return `<table><tbody>${rows.join('')}</tbody></table>`;
}

function showSchema(schema: JsonSchema): string {
  if (typeof schema.$ref !== 'string') return showJson(schema);
  const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  return `<a href="#schema-${toHtml(name)}"><code>${toHtml(name)}</code></a>`;
}

function showJson(value: unknown): string {
  return `<pre tabindex="0"><code>${toHtml(JSON.stringify(value, null, 2))}</code></pre>`;
}

function curl({ method, path, operation }: Shown, url: string): string {
  const example = operation.requestBody?.content['application/json']?.example;
  const address = `${url}${path.replace(/\{(\w+)\}/g, (_, name: string) => sampleFor(name))}`;
  const parts = [
    method === 'get' ? 'curl' : `curl -X ${method.toUpperCase()}`,
    address,
    ...(operation.parameters?.some((each) => each.name === 'If-Match') ? [`-H 'If-Match: "1"'`] : []),
    ...(example === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(example)}'`]),
  ];
  return parts.join(' ');
}

function sampleFor(parameter: string): string {
  const samples: Record<string, string> = {
    id: 'code-wizard',
    revision: '1',
    entryId: 'brain_01',
    name: 'code-wizard',
  };
  return samples[parameter] ?? parameter;
}

function toHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

export const docsStyles = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f7f4ee, #161411);
  --raised: light-dark(#fffdf9, #1e1b17);
  --line: light-dark(#e5dfd2, #302b25);
  --text: light-dark(#221d16, #f2ede4);
  --quiet: light-dark(#5d5447, #b5ab9d);
  --link: light-dark(#0d5c3c, #74d8a9);
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 2rem 0 0.75rem; font-size: 1.2rem; }
h4 { margin: 1rem 0 0.25rem; font-size: 0.85rem; color: var(--quiet); }
p { margin: 0.5rem 0; }
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin-top: 0.75rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.875rem; }
pre { margin: 0.25rem 0; padding: 0.75rem; overflow: auto; max-height: 30rem; background: var(--raised); border: 1px solid var(--line); border-radius: 0.5rem; }
details { background: var(--raised); border: 1px solid var(--line); border-radius: 0.75rem; margin-bottom: 0.5rem; }
summary { padding: 0.5rem 0.75rem; cursor: pointer; overflow-wrap: anywhere; }
details[open] > summary { border-bottom: 1px solid var(--line); }
details > div > pre { margin: 0; border: 0; border-radius: 0 0 0.5rem 0.5rem; }
.body { padding: 0.5rem 0.75rem 0.75rem; }
.summary { color: var(--quiet); margin-left: 0.5rem; }
.method { display: inline-block; min-width: 4.5rem; padding: 0.1rem 0.4rem; border-radius: 0.35rem; text-align: center; font: 600 0.75rem/1.5 ui-monospace, monospace; color: #ffffff; background: #4b5563; }
.method.get { background: #1d4ed8; }
.method.post { background: #15803d; }
.method.put { background: #a1480a; }
.method.patch { background: #7e22ce; }
.method.delete { background: #b91c1c; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.25rem 0.5rem 0.25rem 0; text-align: left; vertical-align: top; font-weight: 400; border-bottom: 1px solid var(--line); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`;
