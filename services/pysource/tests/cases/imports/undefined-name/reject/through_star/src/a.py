from hub import f, hidden, _private
