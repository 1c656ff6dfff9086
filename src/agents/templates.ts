import { slugify } from '../base/ids.ts';
import type { AgentInput } from './agent.ts';
import { accessibilityReviewer } from './templates/accessibility-reviewer.ts';
import { architect } from './templates/architect.ts';
import { codeReviewer } from './templates/code-reviewer.ts';
import { dataAnalyst } from './templates/data-analyst.ts';
import { debuggerAgent } from './templates/debugger.ts';
import { incidentResponder } from './templates/incident-responder.ts';
import { onboarding } from './templates/onboarding.ts';
import { productThinker } from './templates/product-thinker.ts';
import { refactorer } from './templates/refactorer.ts';
import { releaseManager } from './templates/release-manager.ts';
import { securityAuditor } from './templates/security-auditor.ts';
import { testEngineer } from './templates/test-engineer.ts';
import { writer } from './templates/writer.ts';

/** A starter agent that a person can adopt and then change. */
export interface AgentTemplate {
  id: string;
  name: string;
  description: string;
  category: string;
  /** Without an id, so that adopting a template twice gives two agents. */
  agent: AgentInput;
}

export const agentTemplates: readonly AgentTemplate[] = [
  template('Engineering', codeReviewer),
  template('Engineering', architect),
  template('Engineering', testEngineer),
  template('Engineering', debuggerAgent),
  template('Engineering', refactorer),
  template('Engineering', securityAuditor),
  template('Operations', incidentResponder),
  template('Operations', releaseManager),
  template('Writing & people', writer),
  template('Writing & people', onboarding),
  template('Data & product', dataAnalyst),
  template('Data & product', productThinker),
  template('Data & product', accessibilityReviewer),
];

function template(category: string, agent: AgentInput): AgentTemplate {
  return { id: slugify(agent.name), name: agent.name, description: agent.description ?? '', category, agent };
}
