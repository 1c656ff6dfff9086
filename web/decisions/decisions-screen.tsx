import { Page, PageHeader } from '../ui/page.tsx';
import { useTitle } from '../ui/use-title.ts';

export function DecisionsScreen() {
  useTitle('Decisions');
  return (
    <Page>
      <PageHeader title="Decisions" />
    </Page>
  );
}
