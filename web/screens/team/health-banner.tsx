import { Link } from '@tanstack/react-router';
import { HeartPulse } from 'lucide-react';
import { useHealth } from '../../api/team-queries.ts';
import { TaskTitle } from '../../parts/team/task-title.tsx';
import { Banner } from '../../ui/banner.tsx';
import { formatCount } from '../../ui/format-count.ts';

const maxNamed = 3;

/** Who is stalled and which tasks wait too long; nothing while all is well. */
export function HealthBanner() {
  const { data } = useHealth();
  const members = data?.members.filter((member) => member.isStalled) ?? [];
  const tasks = data?.tasks ?? [];
  if (members.length === 0 && tasks.length === 0) return null;
  return (
    <div className="mb-4">
      <Banner tone="warn" icon={<HeartPulse aria-hidden />}>
        <ul className="flex flex-col gap-0.5">
          {members.slice(0, maxNamed).map((member) => (
            <li key={member.agentId}>
              <Link
                to="/team/members"
                search={{ member: member.agentId }}
                className="font-medium underline underline-offset-2"
              >
                {member.agentId}
              </Link>
              {` is stalled${member.reason ? `: ${member.reason}` : ''}`}
            </li>
          ))}
          {members.length > maxNamed && <li>{`and ${formatCount(members.length - maxNamed, 'more member')}`}</li>}
          {tasks.slice(0, maxNamed).map((task) => (
            <li key={task.taskId}>
              <Link
                to="/team/tasks/$id"
                params={{ id: task.taskId }}
                className="font-medium underline underline-offset-2"
              >
                <TaskTitle id={task.taskId} />
              </Link>
              {`: ${task.reason}`}
            </li>
          ))}
          {tasks.length > maxNamed && <li>{`and ${formatCount(tasks.length - maxNamed, 'more task')}`}</li>}
        </ul>
      </Banner>
    </div>
  );
}
