/** The work of one run, from its steps and what became of them. */
import { type Fields, referredAddress } from '../kinds/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { prefixesOf } from '../tree/addressing.ts';
import type { OwnObject, OwnWork, UncertainCreate } from '../tree/own-work.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import type { OrganizationPlan, Step } from './plan.ts';
import { stepId } from './step-id.ts';

/** The first request of a step, with its ids filled in. */
export interface FirstRequest {
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  /** As ISO 8601. */
  readonly time: string;
  /** The service accepted it, but the response had no id of an object. */
  readonly isAccepted: boolean;
}

export interface RunWork extends Pick<OrganizationPlan, 'ids' | 'steps'> {
  readonly run: string;
  /** False while the run may still be at work. */
  readonly isOver: boolean;
  readonly made: ReadonlyMap<string, string>;
  /** Ids of steps of which a request may have taken effect. */
  readonly touched: ReadonlySet<string>;
  readonly done: ReadonlySet<string>;
  /** By the ids of their steps, without requests that the service rejected. */
  readonly requests: ReadonlyMap<string, FirstRequest>;
}

/** `registry`: of the form of the service. */
export function ownWorkOf(run: RunWork, registry: Registry): OwnWork {
  const own = new WorkOfRun(run, registry);
  return {
    ids: { ...run.ids, ...Object.fromEntries(run.made) },
    objects: run.steps.flatMap((step) => own.objects(step)),
    superseded: run.steps.flatMap((step) => own.superseded(step)),
    owed: own.owed(),
    uncertain: run.steps.flatMap((step) => own.uncertain(step)),
  };
}

class WorkOfRun {
  readonly #run: RunWork;
  readonly #registry: Registry;

  constructor(run: RunWork, registry: Registry) {
    this.#run = run;
    this.#registry = registry;
  }

  objects(step: Step): readonly OwnObject[] {
    const { run, isOver, touched, requests } = this.#run;
    const { kind, address, phase, fields, cascade = [] } = step;
    const id = step.liveId ?? this.#madeAt(step);
    if (!touched.has(step.id) || id === undefined) return [];
    const request = requests.get(step.id);
    const made = phase === 'create' && request !== undefined;
    const isSet = phase === 'update' || phase === 'vacate';
    const about = { run, isOver, ...defined({ params: request?.params }) };
    const own: OwnObject = {
      ...about,
      ...{ kind, id, address },
      ...(made ? { made } : {}),
      sent: [`#${phase}`, ...fields.map(({ field }) => field)],
      ...(isSet && step.liveId !== undefined ? { before: this.#valuesBefore(step) } : {}),
    };
    if (phase !== 'delete') return [own];
    const inside = cascade.map((one) => ({
      ...about,
      kind: one.kind,
      id: one.id,
      address,
      sent: ['#delete'],
    }));
    return [own, ...inside];
  }

  superseded({ address, kind, action, phase, liveId: id }: Step): OwnWork['superseded'] {
    const isReplaced = action === 'replace' && phase === 'delete' && id !== undefined;
    return isReplaced && this.#hasSuccessor(address, id) ? [{ address, kind, id }] : [];
  }

  owed(): OwnWork['owed'] {
    const owed: Record<string, Fields> = {};
    for (const { id, address, phase, fields } of this.#run.steps) {
      if (phase === 'delete' || this.#run.done.has(id) || !this.#hasSuccessor(address)) continue;
      const carried = fields.flatMap(({ field, after, carried: isCarried }) =>
        isCarried === true && after !== undefined ? [[field, referredAddress(after) ?? after] as const] : [],
      );
      if (carried.length > 0)
        owed[address] = { ...owed[address], ...(Object.fromEntries(carried) as Fields) };
    }
    return owed;
  }

  uncertain({ id, address, kind, phase, fields }: Step): readonly UncertainCreate[] {
    const { run, isOver, ids, steps, requests } = this.#run;
    const create = requests.get(id);
    if (phase !== 'create' || create === undefined || !isOver) return [];
    if (this.#madeAt({ kind, address }) !== undefined) return [];
    const { operation, params, time: since, isAccepted } = create;
    const values = fields.flatMap(({ field, after }) =>
      after === undefined ? [] : [[field, after] as const],
    );
    const others = [...Object.values(ids), ...steps.flatMap(({ liveId }) => liveId ?? [])];
    return [
      {
        ...{ kind, address, run, since, operation, params },
        ...defined({ accepted: isAccepted ? (true as const) : undefined }),
        fields: Object.fromEntries(values) as Fields,
        others: [...new Set(others)],
      },
    ];
  }

  /** A kind with a single object per parent has the parent's id. */
  #madeAt({ kind, address }: Pick<Step, 'kind' | 'address'>): string | undefined {
    const { made, ids } = this.#run;
    if (this.#registry.byName(kind).identity.idParam !== undefined) return made.get(address);
    const above = prefixesOf(address).at(-2) ?? '';
    return made.get(above) ?? ids[above];
  }

  /** An earlier run may have created it, so that this one knew its id. */
  #hasSuccessor(address: string, former?: string): boolean {
    const { made, ids, requests } = this.#run;
    const known = made.get(address) ?? ids[address];
    return (known !== undefined && known !== former) || requests.has(stepId(address, 'create'));
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
