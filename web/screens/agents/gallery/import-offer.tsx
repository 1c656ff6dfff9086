import { PackageOpen } from 'lucide-react';
import { useAcceptOffer, useAgentZooOffer, useDeclineOffer } from '../../../api/queries.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { formatCount } from '../../../ui/format-count.ts';
import { showError, showToast } from '../../../ui/toast.tsx';
import { describeImport } from './import-agents.tsx';

const maxNames = 3;
const list = new Intl.ListFormat('en');

/** Offers the agents of AgentZoo that the hub found in its own folder. Shows nothing while it looks, or if there are none. */
export function ImportOffer() {
  const { data: offer } = useAgentZooOffer();
  const accept = useAcceptOffer();
  const decline = useDeclineOffer();
  if (!offer) return null;
  const run = () =>
    accept.mutateAsync().then(
      (report) => {
        const { title, description } = describeImport(report);
        showToast(title, description ? { description } : {});
      },
      (error) => showError('The agents could not be imported', error),
    );
  const count = offer.agents.length === 1 ? '1 agent' : `${offer.agents.length} agents`;
  const names = offer.agents.slice(0, maxNames).map(({ name }) => name);
  const more = offer.agents.length - names.length;
  return (
    <div className="mb-4">
      <Banner
        tone="info"
        icon={<PackageOpen />}
        actions={
          <>
            <Button
              size="sm"
              busy={decline.isPending}
              onClick={() =>
                void decline.mutateAsync().catch((error) => showError('The offer could not be declined', error))
              }
            >
              No, thanks
            </Button>
            <Button size="sm" variant="primary" busy={accept.isPending} onClick={() => void run()}>
              Import {count}
            </Button>
          </>
        }
      >
        Found {count} from AgentZoo in <span className="font-mono text-xs [overflow-wrap:anywhere]">{offer.file}</span>:{' '}
        {list.format(more > 0 ? [...names, `${more} more`] : names)}
        {offer.brainEntries > 0 && `, with ${formatCount(offer.brainEntries, 'brain entry', 'brain entries')}`}.
        Importing leaves the file as it is.
      </Banner>
    </div>
  );
}
