#!/bin/sh
':' //; at=0; for word do at=$((at + 1)); eval "CLAWRDEN_WORD_$at=\$word; export CLAWRDEN_WORD_$at"; done; export CLAWRDEN_WORDS=$#; exec node "$0"
'use strict';
// A shell runs the line above, Node what follows: to the formatter it has a semicolon too few, which the shell
// would take for the end of a command. Node takes some options from anywhere on its command line, also
// behind `--`, and one of them loads code from the folder that it is in: so words of a command stand in variables.
//
// Runs under any old Node version, because it only finds a Node that can run the program. So the code uses old
// syntax.
/* oxlint-disable no-var, unicorn/prefer-node-protocol */

var childProcess = require('child_process');
var fs = require('fs');
var os = require('os');
var path = require('path');
var tty = require('tty');

var version = process.versions.node.split('.');

if (Number(version[0]) > 22 || (Number(version[0]) === 22 && Number(version[1]) >= 18)) {
  takeWords();
  require(program());
} else {
  startUnder(bundledNode());
}

/** From the variables, which no other program is to see. */
function takeWords() {
  for (var at = 1; at <= Number(process.env.CLAWRDEN_WORDS); at += 1) {
    process.argv.push(process.env['CLAWRDEN_WORD_' + at]);
    delete process.env['CLAWRDEN_WORD_' + at];
  }
  delete process.env.CLAWRDEN_WORDS;
}

/** What is beside this file: the source in a checkout, in build/programs the bundle. */
function program() {
  var bundled = path.join(__dirname, 'main.js');
  return fs.existsSync(bundled) ? bundled : path.join(__dirname, 'main.ts');
}

function bundledNode() {
  var own = path.join('node_modules', 'node-' + process.platform + '-' + process.arch, 'bin', 'node');
  for (var folder = __dirname; ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, own))) return path.join(folder, own);
    if (folder === path.dirname(folder)) return undefined;
  }
}

function startUnder(node) {
  if (node === undefined) {
    process.stderr.write(
      'clawrden: start: Node ' + process.versions.node + ' is too old; run it with Node 22.18 or newer\n',
    );
    process.exit(1);
  }
  var child = childProcess.spawn(node, [__filename].concat(process.argv.slice(2)), { stdio: 'inherit' });
  // ^C and ^\ at a terminal reach the child directly: if the launcher passed them on, they would count twice.
  var typed = tty.isatty(0) ? ['SIGINT', 'SIGQUIT'] : [];
  ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'].forEach(function (name) {
    process.on(name, function () {
      if (typed.indexOf(name) === -1) child.kill(name);
    });
  });
  child.on('exit', function (code, signal) {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // A signal that did not end this process.
    setTimeout(function () {
      process.exit(128 + os.constants.signals[signal]);
    }, 100);
  });
}
