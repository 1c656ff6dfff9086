import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HubError } from '../base/hub-error.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import type { CliContext } from '../cli/terminal/context.ts';
import { countOf } from '../cli/terminal/progress-bar.ts';
import { forTerminal } from '../cli/terminal/text-width.ts';
import type { KnowledgeDocument } from './document.ts';
import type { Knowledge } from './knowledge.ts';

/** `zoo export`: writes the index in the form that the `ctx-search.js` of Context Harness reads. */
export function exportKnowledge(context: CliContext, options: ConfigOption & { output?: string }): Promise<void> {
  return withHub(context, options, async ({ knowledge }) => {
    const counts = { documents: 0, chunks: 0 };
    const json = exportJson(knowledge, counts);
    if (options.output === undefined) {
      for await (const piece of json) await written(context, forTerminal(context, piece));
      return;
    }
    const file = resolve(context.cwd, options.output);
    await mkdir(dirname(file), { recursive: true });
    // A failed export leaves the previous file as it was.
    const unfinished = `${file}.${process.pid}.tmp`;
    try {
      await pipeline(json, createWriteStream(unfinished));
      await rename(unfinished, file);
    } finally {
      await rm(unfinished, { force: true });
    }
    const what = `${countOf(counts.documents, 'document')}, ${countOf(counts.chunks, 'chunk')}`;
    context.stderr.write(`Exported ${what} to ${options.output}\n`);
  });
}

/** Waits for the reader of a pipe, so that the text does not pile up in memory. */
async function written({ stdout }: CliContext, text: string): Promise<void> {
  if (!stdout.write(text)) await once(stdout, 'drain');
}

/** Yields the JSON text piece by piece, because an index may be larger than the memory. */
async function* exportJson(
  knowledge: Knowledge,
  counts: { documents: number; chunks: number },
): AsyncGenerator<string> {
  yield '{\n  "documents": [';
  for await (const document of allDocuments(knowledge)) {
    const { id, source, sourceId, url, title, updatedAt } = document;
    const body = (await ifPresent(knowledge.get(id)))?.body;
    if (body === undefined) continue;
    const facts = { id, source, source_id: sourceId, source_url: url, title, updated_at: toSeconds(updatedAt), body };
    yield element(facts, counts.documents);
    counts.documents += 1;
  }
  yield '\n  ],\n  "chunks": [';
  for await (const { id } of allDocuments(knowledge)) {
    for (const { ordinal, text } of (await ifPresent(knowledge.chunks(id))) ?? []) {
      yield element({ id: `${id}:${ordinal}`, document_id: id, chunk_index: ordinal, text }, counts.chunks);
      counts.chunks += 1;
    }
  }
  yield '\n  ]\n}\n';
}

async function* allDocuments(knowledge: Knowledge): AsyncGenerator<KnowledgeDocument> {
  let cursor: string | null | undefined;
  do {
    const page = await knowledge.documents({ limit: 500, ...(cursor && { cursor }) });
    yield* page.documents;
    cursor = page.cursor;
  } while (cursor !== null);
}

/** A sync may remove a document meanwhile. */
async function ifPresent<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof HubError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function element(value: object, position: number): string {
  return `${position === 0 ? '' : ','}\n    ${JSON.stringify(value)}`;
}

function toSeconds(time: number): number {
  return Math.floor(time / 1_000);
}
