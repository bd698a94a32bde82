// What judges the service: the model of the contract, and the comparison with it.
export { left, newWorld, restart, step, turnPolls } from '../model/model.ts';
export { compare } from './compare.ts';
