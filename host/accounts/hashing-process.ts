import { serveTasks } from '#runtime/processes/serve-tasks';
import { hashingTasks } from './hashing';

serveTasks(hashingTasks);
