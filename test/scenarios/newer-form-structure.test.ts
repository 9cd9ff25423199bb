import { describeScenarios } from '../support/scenarios.ts';

describeScenarios(/^4[0-3]/);
