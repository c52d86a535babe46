import type { LoaderFunctionArgs } from '@remix-run/node';
import { readScope } from '~/http/scope.server';
import { changelogData } from './changelog.server';
import { markdownResponse } from './markdown.server';

export async function loader(args: LoaderFunctionArgs) {
  return markdownResponse(changelogData(await readScope(args)));
}
