/** The work of one run, from its steps and what became of them. */
import { type Fields, referredAddress } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { prefixesOf } from '../../tree/addressing.ts';
import type { OwnObject, OwnWork, UncertainCreate } from '../../tree/own-work.ts';
import { RefSet } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { isRecord } from '../../util/json.ts';
import { isUpdate, type OrganizationPlan, type Step } from '../plan.ts';
import { stepId } from '../step-id.ts';

export interface RunWork extends Pick<OrganizationPlan, 'ids' | 'steps'> {
  readonly run: string;
  /** When it began, as ISO 8601. */
  readonly since: string;
  /** False while the run may still be at work. */
  readonly isOver: boolean;
  readonly made: ReadonlyMap<string, string>;
  /** Ids of steps of which a request may have taken effect. */
  readonly touched: ReadonlySet<string>;
  readonly done: ReadonlySet<string>;
  /** Ids of live objects that no manifest listed. */
  readonly unmanaged?: readonly string[] | undefined;
  /** The response to the create of a step; `lost` if absent. */
  readonly responseOf?: (step: string) => UncertainCreate['response'];
}

/** `registry`: of the form of the service. */
export function ownWorkOf(run: RunWork, registry: Registry): OwnWork {
  const own = new WorkOfRun(run, registry);
  const touched = run.steps.filter(({ id }) => run.touched.has(id));
  return {
    ids: { ...own.undeleted(), ...run.ids, ...Object.fromEntries(run.made) },
    objects: touched.flatMap((step) => own.objects(step)),
    superseded: run.steps.flatMap((step) => own.superseded(step)),
    owed: own.owed(),
    uncertain: touched.flatMap((step) => own.uncertain(step)),
  };
}

class WorkOfRun {
  readonly #run: RunWork;
  readonly #registry: Registry;
  readonly #others: readonly string[];
  readonly #deleted: RefSet;

  constructor(run: RunWork, registry: Registry) {
    this.#run = run;
    this.#registry = registry;
    const { ids, steps, done, unmanaged = [] } = run;
    const lives = steps.map(({ liveId = '' }) => liveId);
    const taken = steps.flatMap(({ cascade = [] }) => cascade.map(({ id }) => id));
    this.#others = [...new Set([...Object.values(ids), ...lives, ...taken, ...unmanaged])];
    const deletions = steps.filter(({ id, phase }) => phase === 'delete' && done.has(id));
    this.#deleted = new RefSet(deletions.map(({ kind, liveId: id = '' }) => ({ kind, id })));
  }

  objects(step: Step): readonly OwnObject[] {
    const { kind, address, phase, fields, calls, cascade = [] } = step;
    const id = step.liveId ?? this.#madeAt(step);
    if (id === undefined) return [];
    const { run, isOver } = this.#run;
    const about = { kind, id, run, isOver, address, params: this.#filled(calls[0]?.params ?? {}) };
    const deleted = { ...about, sent: ['#delete'] };
    if (phase === 'delete')
      return [about, ...cascade].map((one) => ({ ...deleted, kind: one.kind, id: one.id }));
    const isSet = (isUpdate(step) || phase === 'vacate') && step.liveId !== undefined;
    const carried = fields.flatMap((one) => (one.carried === true ? [one.field] : []));
    return [
      {
        ...about,
        sent: [`#${phase}`, ...fields.map(({ field }) => field)],
        ...(phase === 'create' ? { made: true } : {}),
        ...(isSet ? { before: this.#valuesBefore(step), ...(carried.length > 0 && { carried }) } : {}),
      },
    ];
  }

  /** Ids of objects that were to be deleted: the service may have moved them since. */
  undeleted(): Readonly<Record<string, string>> {
    const { steps, done } = this.#run;
    const left = steps.filter(
      ({ id, action, phase }) => action === 'delete' && phase === 'delete' && !done.has(id),
    );
    return Object.fromEntries(
      left.flatMap(({ address, liveId: id }) => (id === undefined ? [] : [[address, id]])),
    );
  }

  superseded({ address, kind, action, phase, liveId: id }: Step): OwnWork['superseded'] {
    const isReplaced = action === 'replace' && phase === 'delete' && id !== undefined;
    return isReplaced && this.#hasSuccessor(address, id) ? [{ address, kind, id }] : [];
  }

  owed(): OwnWork['owed'] {
    const owed: Record<string, Fields> = {};
    for (const { id, address, action, phase, fields } of this.#run.steps) {
      if (phase === 'delete' || this.#run.done.has(id) || !this.#isBegun(address)) continue;
      const carried = fields.flatMap(({ field, after, ...how }) =>
        after !== undefined && (how.carried ?? (action === 'replace' && how.additive))
          ? [[field, referredAddress(after) ?? after] as const]
          : [],
      );
      if (carried.length > 0)
        owed[address] = { ...owed[address], ...(Object.fromEntries(carried) as Fields) };
    }
    return owed;
  }

  /** An object that is found in a list was created with its parent. */
  uncertain(step: Step): readonly UncertainCreate[] {
    const { run, since, responseOf } = this.#run;
    const { id, address, kind, phase, fields, calls } = step;
    const [call] = calls;
    if (phase !== 'create' || call === undefined || call.find !== undefined) return [];
    if (this.#madeAt(step) !== undefined) return [];
    const values = Object.fromEntries(fields.map(({ field, after }) => [field, after]));
    return [
      {
        ...{ kind, address, run, since, operation: call.operation, params: this.#filled(call.params) },
        response: responseOf?.(id) ?? 'lost',
        fields: defined(values) as Fields,
        // A new object may get the id of a deleted one, if it is a name.
        others: this.#others.filter((one) => !this.#deleted.has({ kind, id: one })),
      },
    ];
  }

  /** Without parameters that name objects of unknown ids. */
  #filled(params: Step['calls'][number]['params']): Readonly<Record<string, string>> {
    const { made, ids } = this.#run;
    return Object.fromEntries(
      Object.entries(params).flatMap(([name, id]) => {
        const known = typeof id === 'string' ? id : (made.get(id.$id) ?? ids[id.$id]);
        return known === undefined ? [] : [[name, known] as const];
      }),
    );
  }

  /** A kind with a single object per parent has the parent's id. */
  #madeAt({ kind, address }: Pick<Step, 'kind' | 'address'>): string | undefined {
    const { made, ids } = this.#run;
    if (this.#registry.byName(kind).identity.idParam !== undefined) return made.get(address);
    const above = prefixesOf(address).at(-2) ?? '';
    return made.get(above) ?? ids[above];
  }

  /** The object, or one above it, has been created, or its former one has been deleted: it is not found there any more. */
  #isBegun(address: string): boolean {
    const { touched } = this.#run;
    const isNew = (above: string) =>
      touched.has(stepId(above, 'create')) || touched.has(stepId(above, 'delete'));
    return this.#hasSuccessor(address) || prefixesOf(address).some(isNew);
  }

  /** An earlier run may have created it, so that this one knew its id. */
  #hasSuccessor(address: string, former?: string): boolean {
    const { made, ids, touched } = this.#run;
    const known = made.get(address) ?? ids[address];
    return (known !== undefined && known !== former) || touched.has(stepId(address, 'create'));
  }

  /** For a mapping, only the keys that the step sets count. */
  #valuesBefore({ kind, fields }: Step): Fields {
    const rules = this.#registry.byName(kind).fields;
    const values = fields.map(({ field, before, after }) => {
      const keys = rules[field]?.type === 'map' && isRecord(after) ? Object.keys(after) : [];
      const none = Object.fromEntries(keys.map((key) => [key, null]));
      return [field, keys.length === 0 ? (before ?? null) : { ...none, ...(isRecord(before) ? before : {}) }];
    });
    return Object.fromEntries(values) as Fields;
  }
}
