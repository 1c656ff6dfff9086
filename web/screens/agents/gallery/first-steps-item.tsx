import { ListChecks } from 'lucide-react';
import { firstStepsId } from '../../../../src/inbox/inbox.ts';
import { useDismiss, useFirstSteps } from '../../../api/inbox-queries.ts';
import { MenuItem } from '../../../ui/menu.tsx';

/** Brings hidden first steps back. */
export function FirstStepsItem() {
  const { data } = useFirstSteps();
  const dismiss = useDismiss();
  if (!data?.isPutAway) return null;
  return (
    <MenuItem icon={<ListChecks aria-hidden />} onClick={() => dismiss.mutate({ ids: [firstStepsId], isUndo: true })}>
      Show first steps
    </MenuItem>
  );
}
