import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { Workspace } from './workspaces.ts';

export const workspacesContract = defineContract('Workspaces', {
  'GET /api/workspaces': {
    right: 'administer',
    summary: 'List folders and their default agents',
    answer: 'The folders, and the default agent of the config (`[workspace] agent`) or null.',
    output: z.object({ workspaces: z.array(Workspace), configured: z.string().nullable() }),
  },
  'PUT /api/workspaces': {
    right: 'administer',
    summary: 'Set the default agent of a folder',
    description: 'Clients that work in the folder, or below it, get the agent as a suggestion.',
    body: Workspace,
    shownFields: ['folder', 'agentId'],
    example: { folder: '/home/me/shop', agentId: 'code-wizard' },
    answer: 'The folder, without symbolic links, and its agent.',
    output: Workspace,
    errors: [400, 404],
  },
  'DELETE /api/workspaces': {
    right: 'administer',
    summary: 'Remove the default agent of a folder',
    query: z.strictObject({ folder: Workspace.shape.folder }),
    status: 204,
    answer: 'The folder has no default agent any more.',
    errors: [404],
  },
});
