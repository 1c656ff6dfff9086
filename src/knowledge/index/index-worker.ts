import { parentPort, workerData } from 'node:worker_threads';
import { prepareDocument, textVersion } from '../../text/prepare-document.ts';
import { serveIndexing } from './indexer-job.ts';
import { analysisVersion, buildSegment } from './segment.ts';

/** The entry of the indexing thread. It turns contents into text, passages and an index segment. */
if (parentPort) {
  serveIndexing(parentPort, workerData.parts, {
    prepare: prepareDocument,
    build: buildSegment,
    pipeline: `${textVersion}/${analysisVersion}`,
  });
}
