import type { HubError } from '../base/hub-error.ts';
import type { Source, SourceProblem } from '../base/source.ts';
import type { Tool } from './tool.ts';

/** Where tools come from. `ToolRegistry.add` is the one way in; a source that is loaded when first needed is added then. */
export interface ToolSource extends Source<Tool> {
  /** Returns why a tool of this source cannot be called now; undefined for a name that the source does not know. */
  whyAbsent?(name: string): HubError | undefined;
  /** Describes the tools that are left out because others have their names. Without it the registry uses its own words. */
  describeTaken?(taken: readonly TakenName[]): SourceProblem[];
}

/** A tool that is left out, and the one that has its name. */
export interface TakenName {
  tool: Tool;
  holder: Tool;
}
