import { isLacking } from '../../src/contract/form.ts';
import { operationIds, operationOf } from '../../src/contract/index.ts';

/** Names of the operations in the API document; all others exist only in the newer form. */
export const documentedIds = operationIds.filter((id) => !isLacking('document', operationOf(id).needs));
