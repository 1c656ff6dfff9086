import type { ResourceProvider } from '../../../src/resources/resource.ts';
import { redPixel } from './conformance-tools.ts';

/** The resources that the conformance suites read and subscribe to. */
export function conformanceResources(): ResourceProvider {
  return {
    list: () => [
      { uri: 'test://static-text', name: 'static-text', description: 'Fixed text.', mimeType: 'text/plain' },
      { uri: 'test://static-binary', name: 'static-binary', description: 'A fixed image.', mimeType: 'image/png' },
      {
        uri: 'test://watched-resource',
        name: 'watched-resource',
        description: 'To subscribe to.',
        mimeType: 'text/plain',
      },
    ],
    templates: () => [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        description: 'Data by id.',
        mimeType: 'application/json',
      },
    ],
    read(uri) {
      if (uri === 'test://static-text')
        return [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }];
      if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: redPixel }];
      if (uri === 'test://watched-resource')
        return [{ uri, mimeType: 'text/plain', text: 'Watched resource content.' }];
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
      if (id === undefined) return undefined;
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return [{ uri, mimeType: 'application/json', text }];
    },
  };
}
