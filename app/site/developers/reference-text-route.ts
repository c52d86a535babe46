import type { LoaderFunctionArgs } from '@remix-run/node';
import { readScope } from '~/http/scope.server';
import { markdownResponse } from './markdown.server';
import { referenceData } from './reference.server';

export async function loader(args: LoaderFunctionArgs) {
  return markdownResponse(referenceData(await readScope(args)));
}
