import { expect, it } from 'vitest';
import { filterTools } from './tool-filter.ts';

const tools = ['read_file', 'write_file', 'list_directory', 'delete_file'].map((name) => ({ name }));

it.each([
  ['no filter keeps all, in order', {}, ['read_file', 'write_file', 'list_directory', 'delete_file']],
  [
    'null means no filter',
    { include: null, exclude: null },
    ['read_file', 'write_file', 'list_directory', 'delete_file'],
  ],
  ['an empty include keeps none', { include: [] }, []],
  ['names are exact', { include: ['read_file', 'read'] }, ['read_file']],
  ['stars stand for anything', { include: ['*_file'] }, ['read_file', 'write_file', 'delete_file']],
  ['exclude wins over include', { include: ['*_file'], exclude: ['delete*', 'write_file'] }, ['read_file']],
  ['exclude alone keeps the rest', { exclude: ['*_file'] }, ['list_directory']],
])('%s', (_name, filter, expected) => {
  expect(filterTools(tools, filter).map(({ name }) => name)).toEqual(expected);
});
