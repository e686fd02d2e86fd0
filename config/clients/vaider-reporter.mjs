// Tells why tests failed, by their traces and what their videos show, and where a video contradicts a test that passed.
// Written by `vaider init --playwright`; yours from then on. In playwright.config, before the html reporter:
//   reporter: [['./vaider-reporter.mjs', { mode: 'warn' }], ['html']],  use: { video: 'retain-on-failure', trace: 'retain-on-failure' }
// What should be seen (with video: 'on'):
//   test('checkout', { annotation: { type: 'vaider', description: '"Order confirmed" appears' } }, async ({ page }) => …
// mode: 'fail' makes a contradiction fail the run. Offline: a test's videos go to nobody,
// unless VAIDER_SERVER names a team's server (its token in VAIDER_TOKEN or VAIDER_TOKEN_FILE, a label in VAIDER_LABEL).
import { spawn } from 'node:child_process';
import path from 'node:path';

const SECONDS = 120;
const MOST_LINES = 12;
const UNKNOWN = { error: 'could not be watched; `vaider analyse` of the video says why.' };
// A terminal would obey what was read from a screen.
const harmless = text => String(text).replace(/[\p{Cc}\p{Cf}]/gu, letter => (letter === '\n' ? letter : '\ufffd'));

export default class VaiderReporter {
  constructor({ mode = 'warn', command = process.env.VAIDER ?? 'vaider' } = {}) {
    this.mode = mode;
    this.command = command;
    this.found = [];
  }

  printsToStdio() {
    return false;
  }

  onTestEnd(test, result) {
    const expected = test.annotations.filter(each => each.type === 'vaider').map(each => each.description ?? '');
    const failed = result.status !== 'passed' && result.status !== 'skipped';
    const seen = result.attachments.filter(each => each.name === 'video' && each.path);
    const files = seen.length ? seen : result.attachments.filter(each => each.name === 'trace' && each.path);
    if (failed || expected.length)
      for (const { path: video } of files) this.found.push({ test, result, video, expected, failed });
  }

  async onEnd() {
    const began = Date.now();
    let contradicted = false;
    // Of a test that was tried again, the attempt that counts: the last one, or of a flaky test the first that failed.
    const counts = ({ test, result, failed }) => test.outcome() === 'flaky'
      ? failed && test.results.findIndex(each => each.status !== 'passed') === result.retry
      : result === test.results.at(-1);
    this.found = this.found.filter(counts);
    const answers = await this.watchAll();
    // The browsers of a test together; what failed for the same reason in another one is said once.
    for (const group of grouped(this.found, ({ test }) => `${place(test)} ${test.titlePath().slice(2).join(' ')}`)) {
      process.stdout.write(`\nvaider: ${place(group[0].test)} ${harmless(group[0].test.title)}\n`);
      const reasons = new Map();
      for (const one of group) {
        const answer = answers.get(one);
        const text = this.told(one, answer);
        contradicted ||= contradicts(one, answer);
        const reason = one.failed && answer.why?.text.replace(/[\d.]+ m?s\b/g, '');
        const project = one.test.parent.project()?.name;
        const before = project ? `[${harmless(project)}] ` : '';
        process.stdout.write(before + (reasons.has(reason) ? `failed for the same reason as ${reasons.get(reason)}\n` : `${text}\n`));
        if (reason && project && !reasons.has(reason)) reasons.set(reason, harmless(project));
      }
    }
    if (this.found.length)
      process.stdout.write(`\nvaider: watching ${this.found.length} videos took ${(Date.now() - began) / 1000} s\n`);
    return contradicted && this.mode === 'fail' ? { status: 'failed' } : undefined;
  }

  // The text about one attempt, which the reporters after this one show too, html beside the test.
  told(one, answer) {
    const { test, result, failed } = one;
    const tried = test.results.length;
    const head = contradicts(one, answer) ? 'passed, but its video contradicts it:'
      : failed && test.outcome() === 'flaky' ? 'flaky; when it failed, its video showed:'
      : failed && tried > 1 ? `failed ${tried} times; the last time its video shows:`
      : failed ? 'failed; its video shows:' : 'passed, and its video shows:';
    const text = harmless([head, ...lines(answer, failed)].join('\n'));
    result.attachments.push({ name: 'vaider', contentType: 'text/plain', body: Buffer.from(text) });
    const picture = pictureOf(answer, failed);
    if (picture) result.attachments.push({ name: 'vaider', contentType: 'image/jpeg', path: picture });
    return text;
  }

  // One process for all that are asked the same: most of its time goes into starting.
  async watchAll() {
    const answers = new Map();
    for (const group of grouped(this.found, each => JSON.stringify(each.expected))) {
      const given = await this.watch(group[0].expected, group.map(each => each.video));
      group.forEach((each, at) => answers.set(each, given[given.length === group.length ? at : 0] ?? UNKNOWN));
    }
    return answers;
  }

  watch(expected, videos) {
    const wanted = expected.map(each => `--expect=${each}`);
    const seconds = String(SECONDS * videos.length);
    const options = ['analyse', '--json', '--provider', 'local', '--timeout', seconds, ...wanted, '--', ...videos];
    return new Promise(resolve => {
      let out = '';
      const child = spawn(this.command, options, { stdio: ['ignore', 'pipe', 'ignore'] });
      child.stdout.setEncoding('utf8').on('data', piece => (out += piece));
      child.on('error', error => resolve([{ error: `${this.command} cannot be started: ${error.message}` }]));
      child.on('close', () => {
        try {
          resolve(out.trim().split('\n').map(line => JSON.parse(line)));
        } catch {
          resolve([UNKNOWN]);
        }
      });
    });
  }
}

function place(test) {
  return `${path.relative(process.cwd(), test.location.file)}:${test.location.line}`;
}

function contradicts({ test, failed }, answer) {
  return !failed && test.outcome() !== 'unexpected' && (answer.verdicts ?? []).some(each => each.verdict === 'fail');
}

function grouped(all, keyOf) {
  const groups = new Map();
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups.values();
}

function lines(answer, failed) {
  if (answer.error) return [answer.error];
  const rank = { fail: 0, unclear: 1, pass: 2 };
  const verdicts = [...answer.verdicts].sort((one, other) => rank[one.verdict] - rank[other.verdict]);
  const timeline = answer.description.split('\n').slice(answer.why ? 1 : 0);
  const why = failed && answer.why;
  const left = timeline.length - MOST_LINES;
  const picture = pictureOf(answer, failed);
  return [
    ...(why ? [`why: ${why.text}`, `     (said by ${why.clauses.map(each => each.source).join('; ')})`] : []),
    ...verdicts.map(each => `${each.verdict.padEnd(7)} ${each.expectation}: ${each.reason}`),
    ...(left > 0 ? [`(${left} lines before)`] : []),
    ...timeline.slice(-MOST_LINES),
    ...(answer.warnings ?? []).map(each => `warning: ${each}`),
    ...(picture ? [`picture: ${picture}`] : []),
  ];
}

function pictureOf(answer, failed) {
  const doubted = (answer.verdicts ?? []).filter(each => each.verdict !== 'pass').flatMap(each => each.evidence);
  const seen = [...(failed && answer.why ? [answer.why] : []), ...doubted, ...[...(answer.timeline ?? [])].reverse()].find(each => each.frame);
  return seen ? path.join(answer.interactions_dir, seen.frame) : undefined;
}
