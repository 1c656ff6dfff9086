function agent.resolve()
  local list = {}
  for i = 1, 90000 do list[i] = ":1: :1: " end
  error(list)
end
