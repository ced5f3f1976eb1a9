# Two mistakes: a release that comes too early, and a copy out of what no fence has made visible.
/^  program consumer/,$s/consumed keep=1 /consumed /
/^  program consumer/,$s/^ *fence$//
