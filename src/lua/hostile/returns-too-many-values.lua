function agent.resolve()
  local list = {}
  for index = 1, 200000 do list[index] = index end
  return list
end
