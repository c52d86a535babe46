import { serveTasks } from '#processes/serve-tasks';
import { hashingTasks } from './hashing';

serveTasks(hashingTasks);
