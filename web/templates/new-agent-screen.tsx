import { Page } from '../ui/page.tsx';

export function NewAgentScreen() {
  return <Page>…</Page>;
}
