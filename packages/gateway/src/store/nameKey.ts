/** Two names of nodes are one where two tags are. */
export { tagKey as nameKey } from '@sallyport/sdk/rules';
