import { parentPort, workerData } from 'node:worker_threads';
import { serveIndexing } from '../../../src/knowledge/index/indexer-job.ts';
import { buildSegment } from '../../../src/knowledge/index/segment.ts';
import { prepareDocument } from '../../../src/text/prepare-document.ts';

/** An indexing thread that some documents break like a faulty parser would. */
if (parentPort) {
  serveIndexing(parentPort, workerData.parts, {
    async prepare(item, limits) {
      const content = typeof item.content === 'string' ? item.content : new TextDecoder().decode(item.content);
      if (content.includes('HANG')) for (;;);
      if (content.includes('EXIT')) process.exit(1);
      if (content.includes('THROW')) throw new Error('secret details of a parser');
      if (content.includes('SLOW')) await new Promise((resolve) => setTimeout(resolve, 150));
      const prepared = await prepareDocument(item, limits);
      // The reply is posted before the next turn of the event loop.
      if (content.includes('LATE')) setTimeout(fail, 0);
      return prepared;
    },
    build(documents) {
      if (documents.some((document) => document.chunks.some((chunk) => chunk.text.includes('BUILD')))) process.exit(1);
      return buildSegment(documents);
    },
    pipeline: String(workerData.pipeline ?? 'bad'),
  });
}

function fail(): never {
  throw new Error('after the answer');
}
